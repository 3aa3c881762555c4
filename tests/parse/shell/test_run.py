"""What a command text starts: the server, its words and its environment, as bash would have it."""

from __future__ import annotations

import pytest

from recipediff.core.launch import Assignment
from recipediff.core.place import Place
from recipediff.parse.shell.run import ShellOutcome, Started, follow
from recipediff.parse.shell.source import whole


def outcome(text: str, env: dict[str, str] | None = None) -> ShellOutcome:
    given = [Assignment(name, value, Place(file="env")) for name, value in (env or {}).items()]
    return follow(whole(text, "f"), given)


def clean(text: str, env: dict[str, str] | None = None) -> Started:
    """The one server of a text that is wholly understood."""
    out = outcome(text, env)
    assert out.problems == []
    (one,) = out.started
    assert one.problems == []
    return one


def argv(one: Started) -> list[str]:
    return [word.text for word in one.argv]


def env_of(one: Started) -> dict[str, str | None]:
    return {item.name: item.value for item in one.env}


def problems(text: str) -> list[str]:
    out = outcome(text)
    return [str(problem) for problem in (*out.problems, *(p for one in out.started for p in one.problems))]


def notes(text: str) -> list[str]:
    out = outcome(text)
    return [note.message for note in (*out.notes, *(n for one in out.started for n in one.notes))]


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve org/m --port 1",
        "/opt/e/bin/vllm serve org/m --port 1",
        "exec vllm serve org/m --port 1",
        "exec -a x vllm serve org/m --port 1",
        "bash -c 'vllm serve org/m --port 1'",
        "/bin/sh -lc 'exec vllm serve org/m --port 1'",
        "bash -c \"bash -c 'vllm serve org/m --port 1'\"",
        "nohup vllm serve org/m --port 1 > log 2>&1 &",
        "vllm serve org/m --port 1 2>&1 | tee log",
        "numactl -N 0 vllm serve org/m --port 1",
        "uv run vllm serve org/m --port 1",
        "(vllm serve org/m --port 1)",
        "{ vllm serve org/m --port 1; }",
        "time vllm serve org/m --port 1",
        "# first\nvllm serve org/m --port 1  # then\n# last",
        "vllm serve org/m \\\n--port 1 \\\n",
        "vllm serve org/m \\\n  --port 1 \\\n  # --gone 2",
        "set -e\ncd /srv\nvllm serve org/m --port 1\n",
        "mkdir -p x && vllm serve org/m --port 1",
        "cat <<'E' > f\nvllm serve other\nE\nvllm serve org/m --port 1",
        "echo vllm serve; pkill -f vllm; vllm serve org/m --port 1",
        "M=org/m; vllm serve $M --port ${P:-1}",
        "ARGS='--port 1'; vllm serve org/m $ARGS",
        'A=(--port 1); vllm serve org/m "${A[@]}"',
        "python3 -m vllm.entrypoints.openai.api_server --port 1 --model org/m",
        "python -m vllm.entrypoints.openai.api_server --model=org/m --port 1",
        "python -m vllm.entrypoints.cli.main serve org/m --port 1",
        "docker run --rm -it --gpus all -v a:b -p1:1 vllm/vllm-openai:v1 org/m --port 1",
        "sudo docker run --entrypoint vllm img serve org/m --port 1",
        "docker run img bash -c 'vllm serve org/m --port 1'",
        "docker exec -d box vllm serve org/m --port 1",
    ],
)
def test_the_server_is_found(text: str) -> None:
    assert argv(clean(text)) == ["org/m", "--port", "1"]


def test_every_word_knows_its_place() -> None:
    one = clean("bash -c 'vllm serve org/m \\\n  --port 1'")
    assert [str(word.place) for word in one.argv] == ["f:1:21", "f:2:3", "f:2:10"]


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("exec /opt/entry serve org/m", ("/opt/entry", "serve")),
        ("python3 -m vllm.entrypoints.openai.api_server --model org/m", ("python3", "-m", "vllm.entrypoints.openai.api_server")),
        ("/usr/bin/vllm serve org/m", ("vllm", "serve")),
    ],
)  # fmt: skip
def test_another_program_is_named(text: str, program: tuple[str, ...]) -> None:
    one = clean(text)
    assert one.program == program
    assert any("started" in note for note in notes(text)) == (program != ("vllm", "serve"))


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ("A=1 B='x y' vllm serve m", {"A": "1", "B": "x y"}),
        ("export A=1 && export B=2 && vllm serve m", {"A": "1", "B": "2"}),
        ("A=1; vllm serve m", {}),
        ("A=1; export A; vllm serve m", {"A": "1"}),
        ("set -a; A=1; set +a; B=2; vllm serve m", {"A": "1"}),
        ("set -o allexport; A=1; vllm serve m", {"A": "1"}),
        ("declare -x A=1; declare B=2; vllm serve m", {"A": "1"}),
        ("export A=1; unset A; vllm serve m", {}),
        ("export A=1; export -n A; vllm serve m", {}),
        ("export A=1; A=2; vllm serve m", {"A": "2"}),
        ("export A=1; A=2 vllm serve m", {"A": "2"}),
        ("export A=1 A+=2; vllm serve m", {"A": "12"}),
        ("(export A=1); vllm serve m", {}),
        ("(export A=1; vllm serve m)", {"A": "1"}),
        ("export A=1 | cat; vllm serve m", {}),
        ("export 'A=x y'; vllm serve m", {"A": "x y"}),
        ("export B=1; env A=1 vllm serve m", {"A": "1", "B": "1"}),
        ("export B=1; env -i A=1 vllm serve m", {"A": "1"}),
        ("export B=1; env -u B A=1 vllm serve m", {"A": "1"}),
        ("B=1; export A=${B}2; vllm serve m", {"A": "12"}),
        ("A='${B:-}' vllm serve m", {"A": "${B:-}"}),
        ("A=\"${B:-}\" vllm serve m", {"A": ""}),
        ("B=; A=\"${B:-x}\" vllm serve m", {"A": "x"}),
        ("B=; A=\"${B-x}\" vllm serve m", {"A": ""}),
        ("A={a,b} vllm serve m", {"A": "{a,b}"}),
        ("export A=1; docker run -e B=2 -eC=3 -e A --env D=4 vllm/vllm-openai m", {"B": "2", "C": "3", "A": "1", "D": "4"}),
        ("export A=1; bash -c 'B=2 vllm serve m'", {"A": "1", "B": "2"}),
        ("A=1; bash -c 'vllm serve m'", {}),
        ("cd /x && export A=1 && vllm serve m", {"A": "1"}),
    ],
)  # fmt: skip
def test_the_environment(text: str, env: dict[str, str | None]) -> None:
    assert env_of(clean(text)) == env


def test_the_command_wins_over_what_was_exported_before() -> None:
    one = clean('export A=2; C=3 vllm serve "$B"', {"A": "1", "B": "m"})
    assert env_of(one) == {"A": "2", "B": "m", "C": "3"}
    assert argv(one) == ["m"]


def test_an_extended_search_path_is_noted_and_the_rest_is_compared() -> None:
    text = "export PATH=/opt/e/bin:$PATH && export A=1 && /opt/e/bin/vllm serve org/m"
    assert env_of(clean(text)) == {"PATH": None, "A": "1"}
    assert "PATH is set to something that only a shell would know" in notes(text)


def test_unset_and_set_to_nothing_differ() -> None:
    assert env_of(clean("A= vllm serve m")) == {"A": ""}
    assert env_of(clean("vllm serve m")) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm serve m --a $(nproc)", "f:1:18: the result of $(nproc) is only known to a shell"),
        ("vllm serve m --a `nproc`", "f:1:18: the result of `nproc` is only known to a shell"),
        ("vllm serve m --a $((1+1))", "f:1:18: the result of $((1+1))"),
        ("vllm serve m --a <(cat x)", "f:1:18: the result of <(cat x)"),
        ("vllm serve m --a \"$1\"", "f:1:19: the result of $1"),
        ("vllm serve m $EXTRA", "f:1:14: $EXTRA is not set in this text; it may stand for any number of words"),
        ("vllm serve m --flag $EXTRA", "f:1:21: $EXTRA is not set in this text"),
        ("vllm serve m \"${A[@]}\"", "f:1:15: ${A[@]} is not set in this text; it may stand for any number"),
        ("vllm serve m \"$@\"", "f:1:15: the result of $@"),
        ("vllm serve \"$MODEL\"", "f:1:13: $MODEL is not set in this text, so the model is not known"),
        ('vllm serve m "$EXTRA"', "f:1:15: $EXTRA is not set in this text; it may stand for an option"),
        ('vllm serve m --a=1 "$EXTRA"', "$EXTRA is not set in this text; it may stand for an option"),
        ("export A=$(date); vllm serve m", "f:1:8: A is set to something that only a shell would know"),
        ("A=$B vllm serve m", "f:1:1: A is set to something that only a shell would know"),
        ("bash -c \"vllm serve $M\"", "f:1:10: a part of this script is only known to the shell"),
        ("vllm serve m --a 'b", "f:1:18: this single quote is not closed"),
        ("vllm serve m --a {a..b,", "f:1:18: the result of {a..b, is only known to a shell"),
        ("vllm serve a; vllm serve b", "f:1:26: 2 servers are started here"),
        ("vllm serve a & vllm serve b & wait", "f:1:27: 2 servers are started here"),
        ("if true; then vllm serve m; fi", "f:1:1: `if`: control structures are not followed"),
        ("for i in 1 2; do vllm serve m; done", "f:1:1: `for`: control structures are not followed"),
        ("f() { vllm serve m; }; f", "f:1:2: a bracket stands here that a shell does not understand"),
        ("vllm serve m --x (a)", "f:1:18: a bracket stands here"),
        ("vllm serve m )", "f:1:14: this bracket closes nothing"),
        ("(vllm serve m", "this bracket is not closed"),
        ("vllm serve m >", "f:1:14: this redirection names no target"),
        ("false || vllm serve m", "f:1:10: this server starts only if the command before fails"),
        ("[ -z \"$X\" ] && export A=1; vllm serve m", "f:1:16: whether this is set depends on another command"),
        ("false || export A=1; vllm serve m", "whether this is set depends on another command"),
        ("source .env; vllm serve m", "f:1:1: what `source .env` changes is not known here"),
        ("eval \"$X\"; vllm serve m", "f:1:1: what `eval"),
        ("export A=1; sudo vllm serve m", "f:1:13: whether the variables that are set before reach the server"),
        ("env -S 'A=1' vllm serve m", "env's option -S is not understood"),
        ("docker run --env-file f vllm/vllm-openai m", "f:1:23: what stands in this file of variables is not known"),
        ("docker run vllm/vllm-openai vllm serve m", "f:1:29: this image's entrypoint is the server already"),
        ("docker run vllm/vllm-openai:v1 bash -c 'vllm serve m'", "this image's entrypoint is the server already"),
        ("sglang serve --model-path m", "f:1:1: no `vllm serve` was found; it starts `sglang serve --model-path m`"),
        ("echo vllm serve m", "no `vllm serve` was found"),
        ("vllm bench serve --model m", "no `vllm serve` was found"),
        ("docker ps", "no `vllm serve` was found"),
        ("", "no `vllm serve` was found"),
        ("A=x; " + "A=$A$A; " * 60 + "vllm serve $A", "its words expand to more than is read"),
        ("export 1A=1; vllm serve m", "f:1:8: 1A=1 is no name that a shell can set"),
    ],
)  # fmt: skip
def test_what_cannot_be_known_is_a_problem_with_its_place(text: str, expected: str) -> None:
    found = problems(text)
    assert [problem for problem in found if expected in problem], found


@pytest.mark.parametrize(
    ("text", "kept", "note"),
    [
        ("vllm serve m --master-addr $HEAD_IP", "$HEAD_IP", "$HEAD_IP is not set in this text"),
        ("vllm serve m --x \"$Y\"", "$Y", "$Y is not set in this text"),
        ("vllm serve m --x=$Y", "--x=$Y", "$Y is not set in this text"),
        ("vllm serve m --x ~/t.jinja", "~/t.jinja", "depends on who launches"),
        ("vllm serve m --x *.jinja", "*.jinja", "file pattern"),
        ("vllm serve m --x ${Y:-5}", "5", "is taken as its default"),
    ],
)  # fmt: skip
def test_a_single_value_keeps_its_name_with_a_note(text: str, kept: str, note: str) -> None:
    assert argv(clean(text))[-1] == kept
    assert any(note in message for message in notes(text))


def test_a_substitution_that_does_not_reach_the_server_does_not_matter() -> None:
    assert argv(clean('echo $(date) `id` > "$LOG"; vllm serve m > $LOG')) == ["m"]


@pytest.mark.parametrize(
    ("text", "reached", "expected"),
    [
        ("vllm serve m --a 1 \\ \n  --b 2", ["m", "--a", "1", " "], ["breaks the continuation", "--b never reaches the server"]),
        ("vllm serve m --a 1 \\\n  # --b 2 \\\n  --c 3", ["m", "--a", "1"], ["--c never reaches the server: the comment in line 2"]),
        ("vllm serve m --a 1\n  --b 2", ["m", "--a", "1"], ["--b never reaches the server: its command ended above"]),
        ("vllm serve m --s '{\"m\":1}'\\\n--port 8000", ["m", "--s", '{"m":1}--port', "8000"], ["joins this word"]),
    ],
)  # fmt: skip
def test_a_line_that_is_lost_is_told(text: str, reached: list[str], expected: list[str]) -> None:
    (one,) = outcome(text).started
    assert argv(one) == reached
    found = problems(text)
    for part in expected:
        assert [problem for problem in found if part in problem], found


def test_what_runs_beside_the_server_is_noted() -> None:
    found = notes("pip install x && vllm serve m > log || true")
    assert "`pip install x` runs before the server; what it does is not compared" in found
    assert "`true` follows the server's command; what it does is not compared" in found
    assert "redirected: > log" in found
