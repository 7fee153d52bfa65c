"""People: files and forms that go out to annotators and come back."""
