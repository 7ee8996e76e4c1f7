export { Artifacts } from './artifacts.ts'
export { apiScopes, isClientSecret, isNative, makeClient, newClientSecret, redirectUriFault, unknownScope } from './clients.ts'
export { Consents } from './consents.ts'
export { deleteClient, deleteConsents, findClient, forgetArtifacts, insertClient, listClients, updateClientSecret, type ClientRow } from './store.ts'
