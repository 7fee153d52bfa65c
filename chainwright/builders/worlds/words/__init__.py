"""Words of the made worlds: what each domain calls its entities, relations and rules."""
