"""Commands as people and agents type them, each a real process in a real repository."""
