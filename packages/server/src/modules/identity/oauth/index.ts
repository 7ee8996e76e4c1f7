export { Artifacts } from './artifacts.ts'
export { apiScopes, isClientSecret, isNative, makeClient, newClientSecret, unknownScope } from './clients.ts'
export { Consents } from './consents.ts'
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
  listClientsBy,
  updateClient,
  type ClientRow,
} from './store.ts'
