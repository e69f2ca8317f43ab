/** The public names of `@petstore/core/layer`: from promises to layers, and back. */
export { catalogueOf, petstoreOf } from "./open.js"
export { promisePetRepository } from "./pet-repository-layer.js"
