"""Text is split into the words that bash would make of it, each at its place."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recipediff.parse.shell.expand import TooMany, expand
from recipediff.parse.shell.lexer import lex
from recipediff.parse.shell.source import whole

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")


def words(text: str) -> list[str]:
    lexed = lex(whole(text, "f"))
    assert not lexed.problems, lexed.problems
    out: list[str] = []
    for token in lexed.tokens:
        assert not token.op, token
        out.extend(field.text for field in expand(token.atoms, lexed.text, {}))
    return out


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a  b\tc", ["a", "b", "c"]),
        ("'a b'\"c d\"e", ["a bc de"]),
        ("'' \"\" a''", ["", "", "a"]),
        (r"a\ b \"q\" \\", ["a b", '"q"', "\\"]),
        (r'"a\"b\c\\d\$e"', ['a"b\\c\\d$e']),
        ("'a\\\nb'", ["a\\\nb"]),
        ("a\\\nb", ["ab"]),
        ("a \\\n  b", ["a", "b"]),
        ('"a\\\nb"', ["ab"]),
        (r"$'a\tb\'\x41\101é\e'", ["a\tb'AAé\x1b"]),
        ('$"hello"', ["hello"]),
        ("a#b '#c' #d e", ["a#b", "#c"]),
        (r"{\"enable_x\":true}", ['{"enable_x":true}']),
        (r"{\"a\":1,\"b\":2}", ['"a":1', '"b":2']),
        ('{"a":1,"b":2}', ["a:1", "b:2"]),
        ("{a,b}{c,d} x{,y} {a,{b,c}} '{a,b}'", ["ac", "ad", "bc", "bd", "x", "xy", "a", "b", "c", "{a,b}"]),
        ("{1..3} {03..1} {c..a} {1..9..4} {a} {}", ["1", "2", "3", "03", "02", "01", "c", "b", "a", "1", "5", "9", "{a}", "{}"]),
        ("5 $. 1$", ["5", "$.", "1$"]),
        ("~/x *.txt [ab]", ["~/x", "*.txt", "[ab]"]),
        ("a \\", ["a", "\\"]),
    ],
)  # fmt: skip
def test_words(text: str, result: list[str]) -> None:
    assert words(text) == result


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a 'b", "single quote is not closed", 1, 3),
        ('a\n"b', "double quote is not closed", 2, 1),
        ("a $(b", "substitution is not closed", 1, 3),
        ('"a ${b"', "expansion is not closed", 1, 4),
        ("a `b", "backtick is not closed", 1, 3),
        ("$'a", "quote is not closed", 1, 1),
        ("a <(b", "process substitution is not closed", 1, 3),
        ("cat <<E\nx\n", "here-document is not closed", 1, 5),
        ("cat <<\nx\n", "here-document has no delimiter", 1, 5),
        ("a \\ \n b", "a blank behind the backslash breaks the continuation", 1, 3),
        ("a \\\t", "a blank behind the backslash breaks the continuation", 1, 3),
        ("a \\ # b\n", "a blank behind the backslash breaks the continuation", 1, 3),
        ("a b\\\n--c", "joins this word with the start of the next line", 1, 4),
        ("a\r\nb", "carriage return", 1, 2),
        ("x " * 12_000, "more than 10,000 words", 1, 20_001),
    ],
)
def test_what_a_shell_would_stumble_over(text: str, message: str, line: int, column: int) -> None:
    problems = lex(whole(text, "f")).problems
    assert [p for p in problems if message in p.message and (p.place.line, p.place.column) == (line, column)], problems
    assert all(problem.hint for problem in problems)


@pytest.mark.parametrize("text", ["a b\\\n --c", "a 'b'\\\n\t--c", "a b \\\n--c", "a b\\\n"])
def test_a_harmless_continuation_is_no_problem(text: str) -> None:
    assert lex(whole(text, "f")).problems == []


def test_an_unusual_blank_is_noted() -> None:
    (note,) = lex(whole("a\u00a0--b", "f")).notes
    assert (note.place.line, note.place.column) == (1, 2)


@pytest.mark.parametrize("text", ["{a..b,", "{a,b", "a,b}", "{..x}", "{{a,b}..c}"])
def test_irregular_braces_are_not_guessed_at(text: str) -> None:
    lexed = lex(whole(text, "f"))
    (field,) = expand(lexed.tokens[0].atoms, lexed.text, {})
    assert field.unknown == (text,)


@pytest.mark.parametrize("text", ["{a,b}" * 30, "{1..100000}", "{a," * 60 + "b" + "}" * 60])
def test_expansion_is_bounded(text: str) -> None:
    lexed = lex(whole(text, "f"))
    with pytest.raises(TooMany):
        expand(lexed.tokens[0].atoms, lexed.text, {})


@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=12), max_size=8
    )
)
def test_joined_words_come_back(original: list[str]) -> None:
    text = shlex.join(original)
    assert words(text) == original


@given(st.lists(st.text(alphabet='ab c"\\\n{},$#=-é', min_size=1, max_size=8), min_size=1, max_size=6))
def test_each_word_is_placed_where_it_stands(original: list[str]) -> None:
    text = " \\\n  ".join(f"'{word}'" for word in original)
    lexed = lex(whole(text, "f"))
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for token, word in zip(lexed.tokens, original, strict=True):
        (field,) = expand(token.atoms, lexed.text, {})
        place = field.place
        start = starts[place.line - 1] + place.column - 1
        end = starts[place.end_line - 1] + place.end_column - 1
        assert text[start:end] == word


PIECES = st.sampled_from(
    ["a", "b", "1", "3", "{", "}", ",", "..", '"', "'", "\\", " ", "\\\n", ".", "-", "=", "$'", "{a,b}", "{1..3}",
     "\\{", "#", "\\\\", "\\n", '"\\"', "''", '""', '"a,"', "{b,c", "x{"]
)  # fmt: skip


@needs_bash
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.lists(PIECES, min_size=1, max_size=9).map("".join), min_size=20, max_size=40))
def test_it_agrees_with_bash(texts: list[str]) -> None:
    """Quotes, escapes, continuations and braces: where we claim to know the words, bash makes the same ones."""
    claims = [(text, ours) for text in texts if (ours := _claimed(text)) is not None]
    script = "".join(f"printf '%s\\0' X {text}\nprintf '\\1\\0'\n" for text, _ in claims)
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-f"], input=script.encode(), capture_output=True, check=False
    )
    assert done.stderr == b""
    theirs = [part.split("\0")[1:-1] for part in done.stdout.decode().split("\1\0")[:-1]]
    assert [ours for _, ours in claims] == theirs, [text for text, _ in claims]


def _claimed(text: str) -> list[str] | None:
    """Our words, where we have no doubt and the text is one line of words."""
    lexed = lex(whole(text, "f"))
    if lexed.problems or any(token.op for token in lexed.tokens) or text.endswith("\\") or lexed.comments:
        return None
    fields = [field for token in lexed.tokens for field in expand(token.atoms, lexed.text, {})]
    return None if any(field.unknown for field in fields) else [field.text for field in fields]
