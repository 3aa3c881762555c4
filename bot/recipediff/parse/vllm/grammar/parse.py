"""One command line, as vLLM's parser reads it."""

from __future__ import annotations

from collections.abc import Sequence

from recipediff.core.launch import Note, Word
from recipediff.core.setting import Json, Refusal, Setting
from recipediff.parse.vllm.grammar import advice
from recipediff.parse.vllm.grammar.command_line import CommandLine
from recipediff.parse.vllm.grammar.matching import Matched, OptionUse, match
from recipediff.parse.vllm.grammar.readings import OptionReading, read
from recipediff.parse.vllm.grammar.routes import Folded, examine
from recipediff.parse.vllm.grammar.settings import InForce, Settler
from recipediff.parse.vllm.grammar.surface import Surface
from recipediff.parse.vllm.grammar.token import ParseFault, Prepared
from recipediff.parse.vllm.grammar.words import ConfigFiles, prepare

_ANSWERS = frozenset(("true", "false", "yes", "no", "on", "off", "0", "1"))
_ADVISED = 20
"""Refusals of one line that get advice; a line with more has another problem."""


def parse(words: Sequence[Word], surface: Surface, files: ConfigFiles | None = None) -> CommandLine:
    """The words after `vllm serve`, read as the version of `surface` reads them.

    Never raises for what the words say: refused words come out in `refusals`, and the rest is still read. `files` are the
    contents of `--config` files by name, where they are at hand; otherwise such a file is a refusal of its own.
    """
    return _Line(words, surface, files).result()


class _Line:
    """The stages of one parse, and what they leave."""

    def __init__(self, words: Sequence[Word], surface: Surface, files: ConfigFiles | None) -> None:
        self.words = words
        self.surface = surface
        self.prepared: Prepared = prepare([word.text for word in words], surface, files)
        self.matched: Matched = match(self.prepared.tokens, surface)
        self.readings = [read(use, surface) for use in self.matched.uses]
        settler = Settler(words, surface)
        for dotted in self.prepared.overridden:
            settler.replaced(dotted)
        self.in_force: InForce = settler.settle(self.readings)
        self.folded: Folded = examine(self.in_force.meanings, surface)
        self.refused: list[tuple[int, Refusal]] = []
        self.notes = self.in_force.notes

    def result(self) -> CommandLine:
        """Put everything together, in the order of the words."""
        values, explicit = self._values()
        self._refuse()
        parser = sorted(self.refused, key=_first)
        self._object()
        self._note()
        model = self._model()
        self._lost()
        refusals = tuple(refusal for _, refusal in sorted(self.refused, key=_first))
        settings = tuple(setting for _, setting in sorted(self.in_force.settings, key=_first))
        return CommandLine(
            version=self.surface.version,
            ok=not parser,
            error=parser[0][1].message if parser else "",
            values=values,
            explicit=explicit,
            fields=self.folded.fields,
            settings=settings,
            model=model,
            refusals=refusals,
            notes=tuple(note for _, note in sorted(self.notes, key=_first)),
        )

    def _values(self) -> tuple[dict[str, Json], frozenset[str]]:
        values: dict[str, Json] = {}
        explicit: set[str] = set()
        for reading in self.readings:
            flag, value = reading.flag, reading.value
            if flag is None or value is None:
                continue
            explicit.add(flag.name)
            there = values.get(flag.name)
            if flag.repeat == "append":
                values[flag.name] = [*(there if isinstance(there, list) else []), value.encoded]
            elif value.bare:
                values.pop(flag.name, None)
            else:
                values[flag.name] = value.encoded
        if self.matched.model is not None:
            explicit.add("model_tag")
            values["model_tag"] = self.matched.model.text
        return values, frozenset(explicit)

    def _refuse(self) -> None:
        for fault in self.prepared.faults:
            self._add(fault)
        for reading in self.readings:
            for fault in reading.faults:
                self._add(fault, reading.use)
        for token in self.matched.extras:
            before = self.words[token.at[0] - 1].text if token.at[0] else ""
            flag = self.surface.options.get(before)
            hint = f"{before} takes no value" if flag is not None and flag.takes == "none" else ""
            self._add(
                ParseFault(
                    message=f"nothing takes the word {token.text[:80]!r}",
                    setting=token.text[:80],
                    at=token.at[0],
                    hint=hint,
                )
            )

    def _add(self, fault: ParseFault, use: OptionUse | None = None) -> None:
        hint = fault.hint
        accepted: tuple[str, ...] = ()
        if use is not None and len(self.refused) < _ADVISED:
            hint = hint or advice.hint(use, self.surface, fault.entry[0] if fault.entry else "")
            accepted = advice.accepted_by(use, self.surface, fault.entry)
        self._refusal(fault.message, fault.setting, fault.at, hint, accepted)

    def _refusal(self, message: str, setting: str, at: int, hint: str = "", accepted: tuple[str, ...] = ()) -> None:
        place = self.words[at].place
        self.refused.append(
            (
                at,
                Refusal(
                    message=message,
                    setting=setting,
                    place=place,
                    version=self.surface.version,
                    accepted_by=accepted,
                    hint=hint,
                ),
            )
        )

    def _object(self) -> None:
        """What the parser takes and the engine refuses."""
        for objection in self.folded.objections:
            at, setting = next(
                ((at, one) for at, one in self.in_force.settings if _speaks_of(one, objection.field, objection.path)),
                (0, None),
            )
            name = setting.name if setting is not None else objection.field
            accepted = advice.engine_accepts(objection, self.in_force.meanings, self.surface)
            self._refusal(objection.message, name, at, "", accepted)

    def _note(self) -> None:
        for reading in self.readings:
            self._note_use(reading)
        model, after = self.matched.model, self.matched.model_after
        if model is None:
            self._no_model()
        elif after is not None and after.flag is not None and after.flag.takes == "none" and model.text in _ANSWERS:
            message = f"{after.name} takes no value: {model.text!r} is the model here"
            self._say(model.at[0], message)

    def _note_use(self, reading: OptionReading) -> None:
        use, flag = reading.use, reading.flag
        if flag is None:
            return
        at = use.option.at[0]
        if use.name != use.option.text.partition("=")[0] and use.name.startswith(use.option.text.partition("=")[0]):
            self._say(
                at, f"{use.option.text.partition('=')[0]} is short for {use.name} as long as no other option begins so"
            )
        if flag.deprecated:
            self._say(at, f"{use.name} is deprecated: {flag.deprecated}")
        if flag.name == "config":
            self._say(at, f"{use.name}= reads no file; written as two words it would")

    def _no_model(self) -> None:
        if any(setting.field == "model" for _, setting in self.in_force.settings) or not self.words:
            return
        taker = next(
            (
                use
                for use in reversed(self.matched.uses)
                if use.flag and use.flag.takes in ("many", "optional") and use.values
            ),
            None,
        )
        message = "no word of this line is the model"
        if taker is not None and taker.values[-1].at != taker.option.at:
            message += f": {taker.name} takes {taker.values[-1].text!r} as well"
            self._say(taker.values[-1].at[0], message)
        else:
            self._say(0, message)

    def _say(self, at: int, message: str) -> None:
        self.notes.append((at, Note(message, self.words[at].place)))

    def _model(self) -> Setting | None:
        token = self.matched.model
        if token is None:
            return next((setting for _, setting in self.in_force.settings if setting.field == "model"), None)
        written = self.words[token.at[0]].text.partition("=")[0] if token.model_option else ""
        model = Setting(
            kind="flag",
            name="model",
            value=token.text,
            meaning=token.text,
            place=self.words[token.at[0]].place,
            field="model_tag",
            written=written,
        )
        self.in_force.settings.append((token.at[0], model))
        return model

    def _lost(self) -> None:
        """No word goes without a trace: what nothing has spoken of so far gets a note."""
        matched = self.matched
        model = [matched.model] if matched.model is not None else []
        astray = [token for use in matched.uses for token in use.values if token.dotted is not use.option.dotted]
        for group in {id(token.dotted): token.dotted for token in (*astray, *model, *matched.extras)}.values():
            for dotted in group:
                said = " ".join(self.words[at].text for at in dotted.at)[:200]
                self._say(dotted.at[0], f"{said!r} is taken for a dotted key, and its parts are read as plain words")
        used = set(self.prepared.config)
        used.update(fault.at for fault in self.prepared.faults)
        for use in matched.uses:
            used.update(use.option.at, *(token.at for token in use.values))
        for token in (*matched.extras, *model):
            used.update(token.at)
        for dotted in self.prepared.overridden:
            used.update(dotted.at)
        for at, word in enumerate(self.words):
            if at not in used:
                what = "ends the options" if word.text == "--" else "is read by nothing"
                self._say(at, f"{word.text[:80]!r} {what}")


def _first(pair: tuple[int, object]) -> int:
    return pair[0]


def _speaks_of(setting: Setting, field: str, path: tuple[str, ...]) -> bool:
    if setting.field != field:
        return False
    keys = tuple(setting.name.split(".")[1:])
    return not keys or not path or keys[: len(path)] == path
