export { nextInstant, type Passed, passedInstants, schedule, type Schedule } from './cron.ts'
export { heartbeatPlugin, triggers } from './triggers.ts'
export { type Sender, senders } from './inbound-senders.ts'
export { type InboundOptions, inboundTrigger, isSecret, optionsOf, secretHeader } from './inbound-trigger.ts'
export { inputFaultsOf, textOfFaults, type InputFault } from './input-faults.ts'
export { answerOf, sendOutbound, unanswered } from './outbound.ts'
export {
  block,
  type Block,
  type BlockContext,
  type BlockOutcome,
  type Objects,
  outputBytesMax,
  type PlacedCondition,
  type SeenEvent,
  type Spent,
  StepFailure,
  type Trigger,
  type TriggerOccurrence,
} from './plugin.ts'
export { Plugins } from './registry.ts'
export { relationshipState } from './trigger-state.ts'
