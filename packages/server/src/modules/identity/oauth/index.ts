export { Artifacts } from './artifacts.ts'
export { apiScopes, isClientSecret, isNative, makeClient, newClientSecret } from './clients.ts'
export { Consents } from './consents.ts'
export {
  clientsIn,
  countPeople,
  deleteClient,
  deleteConsents,
  findClient,
  forgetArtifacts,
  forgetUnusedClients,
  insertClient,
  isConsented,
  listClients,
  lockClientOf,
  listClientsBy,
  updateClient,
  type ClientRow,
} from './store.ts'
