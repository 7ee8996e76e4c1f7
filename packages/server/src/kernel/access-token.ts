/** Lifetime of every access token, whether made for the command line or issued to an app. */
export const accessTokenSeconds = 3600
