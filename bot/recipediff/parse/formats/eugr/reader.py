"""Recipes of `recipe_version: "1"`: a command template, its defaults, an environment and mods.

The facts are those of the runner that these recipes are written for: it fills the command with `str.format`, exports
`env` in double quotes before it, and hands both to bash.
"""

from __future__ import annotations

import re
from dataclasses import replace

from recipediff.core.launch import Assignment, Invocation, Note, Select, Word
from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.documents.document import Document, MappingNode, Node, ScalarNode, SequenceNode, read, walk
from recipediff.parse.documents.recent import Recent
from recipediff.parse.formats.eugr import dialect, values
from recipediff.parse.formats.format import FormatReading, UpstreamFiles
from recipediff.parse.shell.run import Started, follow
from recipediff.parse.shell.scalar import scalar_text
from recipediff.parse.shell.source import MappedText, SourceText
from recipediff.parse.shell.template import MAX_CHARS, fill

_KNOWN = frozenset(
    {
        "recipe_version",
        "name",
        "description",
        "model",
        "container",
        "build_args",
        "cluster_only",
        "solo_only",
        "mods",
        "defaults",
        "env",
        "command",
        "model_revision",
    }
)

_LAUNCHERS = frozenset({"HF_HOME"})
"""Variables that launchers of these recipes set to where they mount the models, over what a recipe says (case B24)."""

_RECENT = Recent(1024 * 1024)


class Eugr:
    """The format `eugr`: one file, one launch of role `serve`."""

    name = "eugr"

    def companions(self, path: str) -> tuple[str, ...]:
        """None: the recipe stands alone, and mods are looked for among the tree's paths."""
        return ()

    def selects(self, files: UpstreamFiles, path: str, model: str, hardware: str) -> tuple[Select, ...]:
        """The one launch of the file, where it serves `model`; the hardware is upstream's own throughout."""
        del hardware
        reading = read_recipe(files.blobs.get(path, b""), path, files.paths)
        return (
            (Select(),) if any(one.model is not None and one.model.text == model for one in reading.invocations) else ()
        )

    def read(self, files: UpstreamFiles, path: str, select: Select) -> FormatReading:
        """The launch that the file describes. Never raises for bad input."""
        data = files.blobs.get(path)
        if data is None:
            return FormatReading(
                (), (Problem("the file is not there at this commit", Place(file=path), "check path and commit"),)
            )
        return read_recipe(data, path, files.paths)


def read_recipe(data: bytes, path: str, paths: frozenset[str] | None = None) -> FormatReading:
    """Every launch in one recipe's bytes; `paths` are the files of its tree, where they are known."""
    return _RECENT.get((path, data, paths), len(data), lambda: _read_recipe(data, path, paths))


def _read_recipe(data: bytes, path: str, paths: frozenset[str] | None) -> FormatReading:
    try:
        document = read(data, path)
    except Unreadable as error:
        return FormatReading((), (error.problem,))
    root = document.root
    if not isinstance(root, MappingNode):
        place = root.place if root else Place(file=path)
        return FormatReading((), (Problem("a recipe is a mapping of keys; this is not", place, "check the path"),))
    refused = dialect.refused(root, path)
    if refused:
        return FormatReading((), (refused,))
    return _Recipe(document, root, paths).reading()


class _Recipe:
    def __init__(self, document: Document, root: MappingNode, paths: frozenset[str] | None) -> None:
        self.document, self.root, self.paths = document, root, paths
        self.source = SourceText(document.file, document.text)
        self.notes: list[Note] = []
        self.problems: list[Problem] = []

    def reading(self) -> FormatReading:
        command = self._command()
        env = self._env()
        mods = self._mods()
        if command is None:
            return FormatReading((), tuple(self.problems))
        outcome = follow(command, env)
        self._plain_facts()
        problems = (*self.problems, *outcome.problems)
        model = self._model()
        common = Invocation(
            role="serve",
            argv=(),
            env=env,
            mods=mods,
            image=None,
            model=model,
            advisory=self._advisory(),
            problems=problems,
            notes=(),
        )
        if not outcome.started:
            return FormatReading((), problems)
        notes = (*self.notes, *outcome.notes)
        return FormatReading(tuple(self._invocation(one, common, notes) for one in outcome.started))

    def _invocation(self, one: Started, common: Invocation, notes: tuple[Note, ...]) -> Invocation:
        return replace(
            common,
            argv=one.argv,
            env=one.env,
            image=one.image,
            program=one.program,
            problems=(*common.problems, *one.problems),
            notes=(*self._contradictions(one), *notes, *one.notes),
        )

    def _command(self) -> MappedText | None:
        """The command as the runner hands it to bash."""
        node = self.root.get("command")
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            place = node.place if node else self.root.place
            message = "there is no command" if node is None else "the command is not text"
            self.problems.append(Problem(message, place, "a recipe needs command: with the launch as text"))
            return None
        if len(node.text) > MAX_CHARS:
            message = f"the command has {len(node.text):,} characters, more than the {MAX_CHARS:,} that are read"
            self.problems.append(Problem(message, node.place, "check the file"))
            return None
        filled = fill(scalar_text(self.document, node, self.source), self._defaults())
        self.problems.extend(filled.problems)
        self._unused(frozenset(filled.used))
        text = filled.text
        # The runner takes blanks and then backslashes off the end, so that a last continuation does no harm.
        chars = text.chars.rstrip()
        if chars.endswith("\\"):
            chars = chars.rstrip("\\\n").rstrip()
        start = len(chars) - len(chars.lstrip())
        return text.cut(start, len(chars))

    def _defaults(self) -> dict[str, str]:
        entries = self._mapping("defaults")
        if entries is None:
            return {}
        return {key: self._rendered(key, node) for key, node in entries.entries.items()}

    def _unused(self, used: frozenset[str]) -> None:
        entries = self._mapping("defaults")
        for key, node in entries.keys.items() if entries else ():
            if key not in used:
                self._note(f"default {key[:40]} is not used by the command", node.place)

    def _rendered(self, key: str, node: Node) -> str:
        try:
            return values.text(node)
        except values.NoText as error:
            self.problems.append(Problem(f"{key}: {error}", node.place, "quote it"))
            return ""

    def _mapping(self, key: str) -> MappingNode | None:
        node = self.root.get(key)
        if node is None or (isinstance(node, ScalarNode) and values.shown(node) == "None"):
            return None
        if not isinstance(node, MappingNode):
            self.problems.append(Problem(f"{key} is not a mapping", node.place, f"write {key}: with NAME: value lines"))
            return None
        return node

    def _env(self) -> tuple[Assignment, ...]:
        entries = self._mapping("env")
        if entries is None:
            return ()
        out = []
        for name, node in entries.entries.items():
            place = node.place if not isinstance(node, ScalarNode) or node.text else entries.keys[name].place
            if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name):
                self.problems.append(Problem(f"{name[:40]} is no name that a shell can export", place, "rename it"))
                continue
            written = self._rendered(name, node)
            value, notes, problems = values.exported(name, written, place)
            self.notes.extend(notes)
            self.problems.extend(problems)
            out.append(Assignment(name, value, place))
        return tuple(out)

    def _mods(self) -> tuple[Word, ...]:
        out: list[Word] = []
        for node in self._list("mods"):
            path = values.shown(node).removeprefix("./").rstrip("/")
            out.append(Word(path, node.place))
            if self.paths is not None and not _holds(self.paths, path):
                self._note(
                    f"upstream names {path[:80]}, a mod that does not exist in its tree at that commit", node.place
                )
        return tuple(out)

    def _list(self, key: str) -> list[ScalarNode]:
        node = self.root.get(key)
        if node is None or (isinstance(node, ScalarNode) and values.shown(node) == "None"):
            return []
        if not isinstance(node, SequenceNode):
            self.problems.append(Problem(f"{key} is not a list", node.place, f"write {key}: with one - item a line"))
            return []
        items = [item for item in node.items if isinstance(item, ScalarNode)]
        for item in node.items:
            if not isinstance(item, ScalarNode):
                self.problems.append(Problem(f"an item of {key} is not text", item.place, "write one word an item"))
        return items

    def _advisory(self) -> tuple[tuple[str, str, Place], ...]:
        out = []
        for key in ("container", "cluster_only", "solo_only"):
            node = self.root.get(key)
            if isinstance(node, ScalarNode):
                out.append((key, values.shown(node), node.place))
        for item in self._list("build_args"):
            text = values.shown(item)
            out.append(("build_args", text, item.place))
            if re.search(r"\s", text.strip()):
                self._note(f"build_args item “{text[:60]}” is one argument with a blank in it", item.place)
        return tuple(out)

    def _model(self) -> Word | None:
        node = self.root.get("model")
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            return None
        return Word(node.text, node.place)

    def _plain_facts(self) -> None:
        """Keys that are given twice, unknown, or missing."""
        for node in walk(self.document.root):
            if isinstance(node, MappingNode):
                for later, earlier in node.repeated[:10]:
                    message = (
                        f"key {later.text[:40]} is given twice (first in line {earlier.line}); the last one counts"
                    )
                    self._note(message, later.place)
        for key, name in self.root.keys.items():
            if key not in _KNOWN:
                self._note(f"key {key[:40]} is not one that the runner reads", name.place)
        version = self.root.get("recipe_version")
        if version is not None and dialect.version(self.root) != dialect.VERSION:
            message = f"recipe_version {dialect.version(self.root)} is not one that upstream's runner knows; it warns and goes on"
            self._note(message, version.place)
        for key in ("name", "container"):
            if key not in self.root:
                self._note(f"there is no {key}, without which upstream's runner stops", Place(file=self.document.file))

    def _contradictions(self, one: Started) -> list[Note]:
        """Where the file says one thing beside the command and another in it."""
        out: list[Note] = []
        model, served = self._model(), one.argv[0] if one.argv and not one.argv[0].text.startswith("-") else None
        if model and served and model.text != served.text:
            message = f"upstream disagrees with itself: the command serves {served.text}, `model:` says {model.text}"
            out.append(Note(message, served.place))
        revision = self.root.get("model_revision")
        if isinstance(revision, ScalarNode):
            words = [word.text for word in one.argv]
            pinned = values.shown(revision)
            if pinned not in words and f"--revision={pinned}" not in words:
                message = (
                    f"model_revision {pinned[:40]} never reaches the server: the command passes no such --revision"
                )
                out.append(Note(message, revision.place))
        for variable in one.env:
            if variable.name in _LAUNCHERS:
                message = (
                    f"the launcher sets {variable.name} as well, so what the recipe says may never reach the server"
                )
                out.append(Note(message, variable.place))
        return out

    def _note(self, message: str, place: Place) -> None:
        note = Note(message, place)
        if note not in self.notes and len(self.notes) < 50:
            self.notes.append(note)


def _holds(paths: frozenset[str], path: str) -> bool:
    """Whether a tree has a file or a folder of that path."""
    return path in paths or any(one.startswith(f"{path}/") for one in paths)


EUGR = Eugr()
