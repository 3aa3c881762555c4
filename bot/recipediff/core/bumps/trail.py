"""A recipe that trails its upstream: from which commit to which, where the file is now, and what the move means."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.core.bumps.marker import Member
from recipediff.core.bumps.plan import Proposal
from recipediff.core.follow import How
from recipediff.core.meaning import Meaning


@dataclass(frozen=True, slots=True)
class UpstreamCommit:
    """One commit of upstream. `date` is ISO 8601."""

    sha: str
    subject: str
    date: str


@dataclass(frozen=True, slots=True)
class Reassigned:
    """Upstream gave the recipe's variant to another model; `successor` is where the recipe's own model is now."""

    variant: str
    model: str
    successor: str = ""


@dataclass(frozen=True, slots=True)
class Half:
    """A file that may be a successor, and in how many settings the recipe differs from it; None where it cannot be read."""

    path: str
    differences: int | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The meaning of a move, and what is peculiar about it."""

    meaning: Meaning
    reassigned: Reassigned | None = None
    halves: tuple[Half, ...] = ()

    @property
    def relevant(self) -> bool:
        """Whether the move is worth a pull request of its own."""
        return self.meaning.relevant or self.reassigned is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """`blob` names what upstream says at `target`, so that a bump that somebody closed is not offered again for it."""

    recipe: str
    file: str
    repo: str
    pin: str
    path: str
    target: str
    new_path: str
    how: How
    judged: Judged
    blob: str
    steps: tuple[UpstreamCommit, ...] = ()
    """Upstream's commits that touched the file since the pin, newest first."""
    more: bool = False
    """There are further commits that are not listed."""
    since: float = 0.0
    """When the newest of them was made (Unix seconds); 0 where that is not known."""
    licence: tuple[str, ...] = ()
    """Licence files that changed."""
    launcher: tuple[str, ...] = ()
    """Files of upstream's launcher that changed, where the recipe spans several nodes."""
    blocked: str = ""
    """Why no bump can be offered."""

    @property
    def relevant(self) -> bool:
        """Whether the launch of this recipe may be another one. Files that cannot be read are never called quiet."""
        return self.judged.relevant or bool(self.launcher)

    def member(self, file_blob: str = "") -> Member:
        """This recipe's part of a bump, made on the recipe file whose content is `file_blob`."""
        moved = self.new_path if self.new_path != self.path else ""
        return Member(
            recipe=self.recipe, commit=self.target, path=moved or self.path, blob=self.blob, file_blob=file_blob
        )

    def proposal(self, file_blob: str = "") -> Proposal:
        """What the plan needs to know."""
        member = self.member(file_blob)
        return Proposal(
            recipe=self.recipe,
            file=self.file,
            pin=self.pin,
            member=member,
            relevant=self.relevant,
            since=self.since,
            blocked=self.blocked,
        )
