package config_test

// better lists the vectors whose recorded outcome is a defect that this
// project does not copy; docs/compatibility.md says the same for users.
var better = map[string]string{}
