export { requestHandlers, type FindRequests } from './handlers.ts'
