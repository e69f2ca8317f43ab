/** Functions that turn promises into layers, and layers into promises. */
export { catalogueOf, petstoreOf } from "./open.js"
export { promisePetRepository } from "./pet-port.js"
export { promiseRepositories, type RepositoryServices } from "./repositories-layer.js"
