export { Artifacts } from './artifacts.ts'
export { isClientSecret, isNative, makeClient, newClientSecret, redirectUriFault } from './clients.ts'
export { Consents } from './consents.ts'
export { deleteClient, findClient, forgetArtifacts, insertClient, listClients, updateClientSecret, type ClientRow } from './store.ts'
