"""The desk as the app sees it: threads that read, one frozen state that they tell, and the ways a person acts on it."""
