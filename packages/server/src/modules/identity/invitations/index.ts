export { Invitations } from './accept.ts'
export { invitationHandlers } from './handlers.ts'
