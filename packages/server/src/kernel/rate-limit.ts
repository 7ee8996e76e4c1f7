/** What is left of a caller's budget; times are in whole seconds. */
export type RateState = { readonly allowed: boolean; readonly limit: number; readonly remaining: number; readonly resetSeconds: number; readonly windowSeconds: number }

export interface RateLimiter {
  take(key: string): Promise<RateState>
}

/** The customary headers and the IETF pair (draft-ietf-httpapi-ratelimit-headers). */
export const rateHeaders = (state: RateState): Record<string, string> => ({
  'X-RateLimit-Limit': String(state.limit),
  'X-RateLimit-Remaining': String(state.remaining),
  'X-RateLimit-Reset': String(state.resetSeconds),
  'RateLimit-Policy': `"default";q=${state.limit};w=${state.windowSeconds}`,
  'RateLimit': `"default";r=${state.remaining};t=${state.resetSeconds}`,
})
