"""Shell text to tokens: words as runs of quoted and unquoted characters, operators, redirections. Nothing is expanded.

The rules are those of bash 5 for a script that is not interactive, which is what upstream's runner writes.
"""

from __future__ import annotations

import re

from recipediff.core.launch import Note
from recipediff.core.place import Place, Problem
from recipediff.parse.shell import dollar
from recipediff.parse.shell.source import MappedText
from recipediff.parse.shell.tokens import Atom, Lexed, ShellComment, ShellToken, WordKind

MAX_TOKENS = 10_000


class Broken(Exception):
    """The text stops being shell at `start`."""

    def __init__(self, message: str, start: int, hint: str) -> None:
        super().__init__(message)
        self.message, self.start, self.hint = message, start, hint


_PLAIN = re.compile(r"[^\s\\'\"$`|&;()<>{},.#*?\[~=]+|[^\S \t\n\r]+")
_OPERATOR = re.compile(r"\n|&&|\|\||;;&|;;|;&|\|&|&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||[;&|()<>]")
_REDIRECTIONS = {"&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"}
_TAIL = re.compile(r"[ \t\r]*(?:\n|\Z|#)")
_DOUBLE = re.compile(r"[^\"\\$`]+")


def lex(text: MappedText) -> Lexed:
    """The tokens of `text`. Never raises: what stops a shell is a problem with its place."""
    lexer = _Lexer(text)
    try:
        lexer.run()
    except Broken as broken:
        place = text.place(broken.start)
        lexer.out.problems.append(Problem(broken.message, place, broken.hint))
    return lexer.out


class _Lexer:
    def __init__(self, text: MappedText) -> None:
        self.text, self.chars, self.at = text, text.chars, 0
        self.out = Lexed(text=text)
        self.atoms: list[Atom] = []
        self.word = -1  # where the open word starts
        self.continued = False  # whether the line that is being read continues the one before
        self.heredocs: list[tuple[int, bool]] = []  # the operator's index and whether tabs are stripped
        self.waiting: list[tuple[str, bool, int]] = []

    def run(self) -> None:
        chars = self.chars
        carriage = chars.find("\r")
        if carriage >= 0:
            self._problem(
                "a carriage return stands here; a shell takes it as part of the word",
                carriage,
                "save with LF line ends",
            )
        while self.at < len(chars):
            char = chars[self.at]
            if char in " \t":
                self._close()
                self.at += 1
            elif char == "#" and self.word < 0:
                self._comment()
            elif char in "\n&|;()<>":
                self._operator()
            else:
                self._piece(char)
        self._close()
        if self.waiting or self.heredocs:
            start = self.waiting[0][2] if self.waiting else self.heredocs[0][0]
            raise Broken("this here-document is not closed", start, "end it with its delimiter on a line of its own")

    def _piece(self, char: str) -> None:
        """Read one piece of a word."""
        if self.word < 0:
            self.word = self.at
        at = self.at
        if char == "\\":
            self._backslash()
        elif char == "'":
            end = self._find("'", at + 1, "single quote")
            self._add("quoted", self.chars[at + 1 : end], at + 1, end, quoted=True)
            self.at = end + 1
        elif char == '"':
            self._double()
        elif char in "$`":
            self._dollar(quoted=False)
        else:
            run = _PLAIN.match(self.chars, at)
            end = run.end() if run else at + 1
            self._add("bare", self.chars[at:end], at, end)
            self.at = end
            if run and char.isspace():
                self._note(
                    "an unusual blank is part of this word; a shell parts words at spaces, tabs and line ends", at
                )

    def _add(self, kind: WordKind, chars: str, start: int, end: int, *, quoted: bool = False) -> None:
        self.atoms.append(Atom(kind, chars, start, end, quoted))

    def _find(self, what: str, start: int, name: str) -> int:
        end = self.chars.find(what, start)
        if end < 0:
            raise Broken(f"this {name} is not closed", start - 1, "close it")
        return end

    def _backslash(self) -> None:
        at = self.at
        after = self.chars[at + 1 : at + 2]
        self.at += 2
        if after == "\n":
            self._continuation(at)
        elif not after:
            self._add("quoted", "\\", at, at + 1, quoted=True)
            self.at = at + 1
        else:
            if after in " \t\r" and _TAIL.match(self.chars, at + 1):
                self._problem(
                    "a blank behind the backslash breaks the continuation: the command gets an extra blank word and ends here",
                    at,
                    "remove the blanks after the backslash",
                )
            self._add("quoted", after, at + 1, at + 2, quoted=True)

    def _continuation(self, at: int) -> None:
        if self.word == at and not self.atoms:
            self.word = -1  # nothing of a word yet: the next line starts afresh
            self.continued = True
            return
        follows = self.chars[self.at : self.at + 1]
        self.continued = True
        if (
            not follows
            or follows in " \t\n&|;()<>"
            or (follows == "\\" and self.chars[self.at + 1 : self.at + 2] == "\n")
        ):
            return
        message = "a continuation without a blank joins this word with the start of the next line"
        if follows == "-":
            self._problem(message, at, "put a blank before the backslash, or indent the next line")
        else:
            self._note(message, at)

    def _double(self) -> None:
        at = self.at
        self._add("quoted", "", at + 1, at + 1, quoted=True)
        self.at += 1
        while True:
            run = _DOUBLE.match(self.chars, self.at)
            if run:
                self._add("quoted", run[0], run.start(), run.end(), quoted=True)
                self.at = run.end()
            char = self.chars[self.at : self.at + 1]
            if char == '"':
                self.at += 1
                return
            if char == "\\":
                after = self.chars[self.at + 1 : self.at + 2]
                if after and after in '$`"\\':
                    self._add("quoted", after, self.at + 1, self.at + 2, quoted=True)
                elif after != "\n":
                    self._add("quoted", "\\" + after, self.at, self.at + 1 + len(after), quoted=True)
                self.at += 2
            elif char:
                self._dollar(quoted=True)
            else:
                raise Broken("this double quote is not closed", at, "close it")

    def _dollar(self, *, quoted: bool) -> None:
        found = dollar.read(self.chars, self.at, quoted=quoted)
        if found.kind == "open":
            raise Broken(f"this {found.chars} is not closed", self.at, "close it")
        if found.kind == "locale":  # $"...": double quotes that a message catalogue may translate
            self.at += 1
            self._double()
            return
        kind: WordKind = "quoted" if found.kind == "text" else "variable" if found.kind == "variable" else "unknown"
        if found.kind == "text" and not found.literal:
            kind = "bare" if not quoted else "quoted"
        quoted = quoted or found.literal
        atom = Atom(kind, found.chars, self.at, found.end, quoted, found.default, found.empty, found.assigns)
        self.atoms.append(atom)
        self.at = found.end

    def _comment(self) -> None:
        end = self.chars.find("\n", self.at)
        end = len(self.chars) if end < 0 else end
        self.out.comments.append(ShellComment(self.at, end, self.continued))
        self.at = end

    def _close(self) -> None:
        """End the open word."""
        if self.word < 0:
            return
        start, self.word = self.word, -1
        atoms, self.atoms = tuple(self.atoms), []
        if not atoms:
            return
        self._token(ShellToken("", atoms, start, self.at))
        if self.heredocs:
            at, strip = self.heredocs.pop()
            self.waiting.append(("".join(atom.chars for atom in atoms), strip, at))

    def _operator(self) -> None:
        match = _OPERATOR.match(self.chars, self.at)
        op = match[0] if match else self.chars[self.at]
        follows = self.chars[self.at + 1 : self.at + 2]
        if op in ("<", ">") and follows == "(":
            found = dollar.read(self.chars, self.at, quoted=False)
            if found.kind == "open":
                raise Broken("this process substitution is not closed", self.at, "close it")
            self.word = self.at if self.word < 0 else self.word
            self._add("unknown", found.chars, self.at, found.end)
            self.at = found.end
            return
        if op in _REDIRECTIONS and self.word >= 0 and self._is_descriptor():
            self.word, self.atoms = -1, []  # 2>file: the digit belongs to the redirection
        self._close()
        self._token(ShellToken(op, (), self.at, self.at + len(op)))
        if op in ("<<", "<<-"):
            self.heredocs.append((self.at, op == "<<-"))
        self.at += len(op)
        if op == "\n":
            self.continued = False
            self._heredocs()

    def _is_descriptor(self) -> bool:
        chars = "".join(atom.chars for atom in self.atoms if atom.kind == "bare")
        bare = all(atom.kind == "bare" for atom in self.atoms)
        return bare and re.fullmatch(r"[0-9]{1,4}|\{[A-Za-z_][A-Za-z_0-9]*\}", chars[:64]) is not None

    def _heredocs(self) -> None:
        """Step over the bodies of the here-documents that this line opened."""
        if self.heredocs:
            raise Broken("this here-document has no delimiter", self.heredocs[0][0], "name one after <<")
        for delimiter, strip, start in self.waiting:
            while True:
                if self.at >= len(self.chars):
                    raise Broken(
                        "this here-document is not closed", start, f"end it with {delimiter[:40]} on a line of its own"
                    )
                end = self.chars.find("\n", self.at)
                end = len(self.chars) if end < 0 else end
                line = self.chars[self.at : end]
                self.at = end + 1
                if (line.lstrip("\t") if strip else line) == delimiter:
                    break
        self.waiting = []
        self.at = min(self.at, len(self.chars))

    def _token(self, token: ShellToken) -> None:
        if len(self.out.tokens) >= MAX_TOKENS:
            raise Broken(f"more than {MAX_TOKENS:,} words", token.start, "split the file")
        self.out.tokens.append(token)

    def _place(self, at: int) -> Place:
        return self.text.place(at)

    def _problem(self, message: str, at: int, hint: str) -> None:
        if len(self.out.problems) < 20:
            self.out.problems.append(Problem(message, self._place(at), hint))

    def _note(self, message: str, at: int) -> None:
        if len(self.out.notes) < 20:
            self.out.notes.append(Note(message, self._place(at)))
