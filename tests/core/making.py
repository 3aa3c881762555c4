"""Short ways to write launches and deviations in tests."""

from __future__ import annotations

from recipediff.core.launch import Launch
from recipediff.core.place import Place
from recipediff.core.recipe import Deviation
from recipediff.core.setting import Json, Setting, SettingKind

HERE = Place(file="test.yaml", line=1, column=1)


def flag(name: str, value: str, meaning: Json = None, **more: object) -> Setting:
    """A flag; its meaning is its text unless given."""
    made = Setting(
        kind="flag",
        name=name,
        value=value,
        meaning=value if meaning is None else meaning,
        place=HERE,
        field=name.split(".")[0],
    )
    return made if not more else _with(made, more)


def _with(setting: Setting, more: dict[str, object]) -> Setting:
    from dataclasses import replace

    return replace(setting, **more)  # type: ignore[arg-type]


def env(name: str, value: str) -> Setting:
    """An environment variable."""
    return Setting(kind="env", name=name, value=value or '""', meaning=value, place=HERE)


def mod(path: str) -> Setting:
    """A mod."""
    return Setting(kind="mod", name=path, value=path, meaning=path, place=HERE)


def launch(*settings: Setting, model: str = "org/m", fields: dict[str, Json] | None = None) -> Launch:
    """A launch of these settings."""
    return Launch(
        role="serve",
        settings=settings,
        model=Setting(kind="flag", name="model", value=model, meaning=model, place=HERE),
        image=None,
        version="0.32.0",
        fields=fields or {},
    )


def deviation(kind: SettingKind, setting: str, upstream: str, ours: str, why: str = "measured") -> Deviation:
    """A declared deviation."""
    return Deviation(kind=kind, setting=setting, upstream=upstream, ours=ours, why=why, place=HERE)
