export {
  contextAs,
  contextOf,
  type ActingContext,
  isActingStop,
  requireCredential,
  standingOf,
  type Acting,
  type ActingStanding,
  type Stopped,
} from './standing.ts'
export { actingAs, actorOf, ownerOf, type Owner } from './owner.ts'
export { endingsJob, type WorkingKind } from './stop-ended.ts'
