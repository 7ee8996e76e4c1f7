export { KeyAuthenticator } from './authenticate.ts'
export { apiKeyHandlers } from './handlers.ts'
export { deleteKeysOfUser } from './store.ts'
