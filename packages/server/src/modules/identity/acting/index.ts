export { contextAs, contextOf, type ActingContext } from './context.ts'
export { actingAs, actorOf, ownerOf, type Owner } from './owner.ts'
export { isActingStop, standingOf, type Acting, type Stopped } from './standing.ts'
export { endingsJob, type WorkingKind } from './stop-ended.ts'
