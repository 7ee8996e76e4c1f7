export { Invitations, type Invited } from './accept.ts'
export { invitationHandlers } from './handlers.ts'
