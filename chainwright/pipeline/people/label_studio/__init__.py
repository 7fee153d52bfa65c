"""Label Studio: tasks go to a server as forms, and their answers come back."""
