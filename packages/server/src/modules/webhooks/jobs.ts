import { forgettingKind } from './sending/forget.ts'
import { sendingKind, type SendingServices } from './sending/send.ts'

/** The background jobs of webhooks. */
export const webhookJobs = (services: SendingServices) => [sendingKind(services), forgettingKind] as const
