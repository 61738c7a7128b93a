package sandbox

// abiProbes is empty: the 32-bit table cannot be reached from 64-bit code here.
var abiProbes []probe
