/** Entry of the browser's storage that is set while the last visit ended with a session. */
export const signedInKey = "console-signed-in";
