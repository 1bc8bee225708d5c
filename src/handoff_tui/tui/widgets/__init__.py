"""What is drawn: each widget is a function of the state it is shown. None calls review, none knows a screen."""
