// The game starts here.
