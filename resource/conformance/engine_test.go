package conformance

var engineCases = []testCase{}
var blockCases = []testCase{}
