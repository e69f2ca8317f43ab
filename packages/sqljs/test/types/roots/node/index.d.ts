/** Whoever asks for the types of Node.js here gets those of version 24. */
/// <reference types="node-24" />
