/** Makes Node's types resolve to version 24 here. */
/// <reference types="node-24" />
