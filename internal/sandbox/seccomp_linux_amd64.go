package sandbox

// thisMachine is the architecture that this program was built for.
var thisMachine = machineAMD64
