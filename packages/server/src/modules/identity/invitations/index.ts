export { Invitations } from './accept.ts'
export { invitationHandlers } from './handlers.ts'
export { endInvitations } from './store.ts'
