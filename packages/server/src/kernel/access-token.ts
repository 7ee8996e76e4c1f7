/** Any access token is valid for so long: one made for the command line, and one that an app is given. */
export const accessTokenSeconds = 3600
