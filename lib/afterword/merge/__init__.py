"""Three-way merges of the structured files, and the driver that git calls with them.

`laws` holds what is true of every field. Records: `front`, `lists` and `order` take a
file apart by lines without a YAML library, so that what a person wrote keeps its bytes;
`record` and `session` say which field follows which rule. Evolution files: `pieces`,
`weave` and `outline` merge rows of blocks of any bytes; `queue`, `archives`,
`reflections` and `knowledge_base` say what a piece is and which rule it follows.
`kinds` finds the merge of a path, `driver` reads and writes. Imports the domain rooms,
`store`, `model` and `errors`.
"""
