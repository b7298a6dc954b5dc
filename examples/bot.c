/* Plays random moves against the novice through `fibfob play`, which also keeps the connection:
 * `cc -o bot bot.c && ./bot --game nim --server http://127.0.0.1:7171`. Needs `fibfob`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A snapshot with 1 024 legal moves has at most some 70 kB. */
static char line[1 << 20];

int main(int count, char **options) {
    char *play[64] = {"fibfob", "play", "--guest", "--bot", "novice", "--json"};
    for (int i = 1; i < count && i < 50; i++) play[5 + i] = options[i];
    int moves[2], messages[2];
    if (pipe(moves) || pipe(messages)) return 1;
    if (fork() == 0) {
        dup2(moves[0], 0), dup2(messages[1], 1);
        close(moves[1]), close(messages[0]);
        execvp("fibfob", play);
        return 127;
    }
    close(moves[0]), close(messages[1]);
    FILE *in = fdopen(messages[0], "r"), *out = fdopen(moves[1], "w");
    srand(time(NULL));
    while (fgets(line, sizeof line, in)) {
        fputs(line, stdout);
        /* Only who is to move is sent the legal moves: a list of texts without quotes in them. */
        char *legal = strstr(line, "\"legal\":[\"");
        if (!legal) continue;
        char *move = strtok(legal + 10, "\""), *chosen = move;
        for (int seen = 2; strcmp(strtok(NULL, "\""), ",") == 0; seen++) {
            move = strtok(NULL, "\"");
            if (rand() % seen == 0) chosen = move;
        }
        fprintf(out, "%s\n", chosen), fflush(out);
    }
    return 0;
}
