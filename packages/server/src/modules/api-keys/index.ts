export { KeyAuthenticator } from './authenticate.ts'
export { apiKeyHandlers } from './handlers.ts'
export { deleteKeyOfUser, deleteKeysOfUser, listKeysOfUser } from './store.ts'
