"""Three-way merges of the structured files, and the driver that git calls with them.

`laws` holds what is true of every field; `front`, `lists` and `order` take a file
apart by lines without a YAML library, so that what a person wrote keeps its bytes;
`record` and `session` say which field follows which rule; `driver` reads and writes.
Imports `knowledge.record`, `episode.session_record`, `store`, `model` and `errors`.
"""
