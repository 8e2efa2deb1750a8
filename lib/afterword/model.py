"""Frozen records for the parts that a hook loads.

`dataclasses` and `typing` cost a hook more than its whole budget (13 ms against
a bare interpreter's 9), so the hot path has its own base class. mypy treats a
`Model` as a frozen, keyword-only dataclass. Imports nothing at run time.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: object):
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Model:
    """A frozen record; the fields are the annotations of the class, inherited first.

    Values are given by keyword, a class attribute is the default, equality is by
    value. Raises `TypeError` for a missing or an unknown field.
    """

    _fields: "tuple[str, ...]" = ()

    def __init_subclass__(cls) -> None:
        own = [name for name in cls.__annotations__ if not name.startswith("_")]
        inherited = [name for name in cls._fields if name not in own]
        cls._fields = (*inherited, *own)

    def __init__(self, **values: "Any") -> None:
        unknown = values.keys() - set(self._fields)
        if unknown:
            raise TypeError(f"{type(self).__name__} has no field {sorted(unknown)}")
        for name in self._fields:
            if name not in values and not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} needs {name}")
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.values() == other.values()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        pairs = ", ".join(f"{name}={value!r}" for name, value in self.values().items())
        return f"{type(self).__name__}({pairs})"

    def values(self) -> "dict[str, Any]":
        """The fields in their declared order, defaults included."""
        return {name: getattr(self, name) for name in self._fields}

    def replace(self, **changes: "Any") -> "Self":
        """A copy with some fields changed."""
        return type(self)(**{**self.values(), **changes})
