"""The base class of the records on a hook's path."""

import pytest

from afterword.model import Model


class Point(Model):
    x: int
    y: int = 0


class Named(Point):
    name: str


def test_fields_are_inherited_first_and_defaults_filled_in() -> None:
    point = Named(name="a", x=1)
    assert point.values() == {"x": 1, "y": 0, "name": "a"}
    assert repr(point) == "Named(x=1, y=0, name='a')"


@pytest.mark.parametrize("values", [{}, {"y": 1}, {"x": 1, "z": 2}])
def test_missing_and_unknown_fields_are_refused(values: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Point"):
        Point(**values)


def test_a_model_is_frozen_and_equal_by_value() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    assert point == Point(x=1, y=0)
    assert point != Named(x=1, name="a")
    assert len({point, Point(x=1), point.replace(y=2)}) == 2
    assert point.replace(y=2).values() == {"x": 1, "y": 2}
