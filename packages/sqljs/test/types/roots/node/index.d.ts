/** Types of Node.js resolve to those of version 24 here. */
/// <reference types="node-24" />
