"""The repository as afterword reads it: its files, the git program, dulwich.

Reading only; nothing here writes, moves a ref or touches the index. `head` needs
files alone, `program` is the one door to the git program, `evidence` names the
commits of an episode. Imports `store`, `model` and `errors`.
"""
