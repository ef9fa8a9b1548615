package io.nvmf.target.backend.file;

/** First in, first out; linked through the operations themselves. Owned by a channel. */
final class OperationQueue {
    private FileOperation first;
    private FileOperation last;
    private int size;

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }

    void add(FileOperation operation) {
        operation.next = null;
        if (first == null) {
            first = operation;
        } else {
            last.next = operation;
        }
        last = operation;
        size++;
    }

    FileOperation poll() {
        FileOperation operation = first;
        first = operation.next;
        operation.next = null;
        size--;
        return operation;
    }
}
