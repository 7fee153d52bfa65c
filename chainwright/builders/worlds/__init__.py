"""Small made-up worlds: context problems whose chains and faults are exact by construction."""
