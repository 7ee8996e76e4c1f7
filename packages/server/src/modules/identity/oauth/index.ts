export { Artifacts } from './artifacts.ts'
export {
  apiScopes,
  isClientSecret,
  isNative,
  makeClient,
  newClientSecret,
  redirectUriFault,
  unknownScope,
} from './clients.ts'
export { Consents } from './consents.ts'
export { appsMade } from './made.ts'
export {
  countPeople,
  deleteClient,
  deleteConsents,
  findClient,
  forgetArtifacts,
  forgetUnusedClients,
  insertClient,
  isConsented,
  listClients,
  listClientsOf,
  lockClientOf,
  updateClientSecret,
  type ClientRow,
} from './store.ts'
