import type { Clock } from '../../kernel/clock.ts'
import { RateLimiter } from '../../kernel/rate-limit.ts'

/** How long a device waits between two questions (RFC 8628 §3.2). */
export const pollSeconds = 5

/** Limits of the device flow: polls for each code, and codes that each person types. */
export type DeviceLimits = { readonly polls: RateLimiter; readonly tries: RateLimiter }

/**
 * One question in `pollSeconds`, and one that comes a little early. Of 20^8 codes a person tries ten a minute, so that
 * guessing at one that another person is about to type comes to nothing.
 */
export const deviceLimits = (clock: Clock): DeviceLimits => ({
  polls: new RateLimiter({ name: 'device-poll', limit: 2, windowSeconds: 2 * pollSeconds }, clock),
  tries: new RateLimiter({ name: 'device-code', limit: 10, windowSeconds: 60 }, clock),
})
